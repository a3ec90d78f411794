static int twice(int x) { return x + x; /* of the header */ }
