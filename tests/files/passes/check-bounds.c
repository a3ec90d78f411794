// RUN: cd %d && sapa-cc check-bounds.c | sapa-opt --verify-each -p 'mem2reg,check-bounds'
// RUN: cd %d && sapa-cc check-bounds.c | sapa-opt -p 'mem2reg,check-bounds{through-pointers=false}' | grep assert
// Indices of arrays that the code names, and where pointers and arrays of no length lead; not constants that are right. Where
// `check-pointers` looks at the others, only the indices.
struct row { int length; int data[3]; int rest[]; } r;
int a[4], m[2][3];

int read_all(int i, int j, int *p, struct row *q) {
    int *end = &a[4];
    a[2] = 1;
    a[i] += 1;
    return m[i][j] + *(a + i + 1) + r.data[i] + p[i] + q->data[3] + r.rest[i] + (p == end);
}

int main(void) { return read_all(0, 1, a, &r); }
