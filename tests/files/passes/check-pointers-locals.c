// RUN: cd %d && sapa-cc check-pointers-locals.c | sapa-opt --verify-each -p 'mem2reg,check-pointers'
// A local whose address is returned becomes a heap object; one that a callee is handed does not.
int *address(int *other) { int local = *other; return &local; }
int caller(void) { int mine = 1; return *address(&mine); }
int main(void) { return caller(); }
