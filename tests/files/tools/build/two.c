#ifdef ONE
#error "this is of another file"
#endif
int two(void) { return TWO; }
