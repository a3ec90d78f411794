// Calls within cycles become threads that the caller waits for, and what is behind takes them; a call through
// the buffers of a memory model is not taken.
// RUN: sapa-cc %s | sapa-opt --verify-each -p 'mem2reg,recursion'
// RUN: sapa-cc %s | sapa-opt --verify-each -p 'mem2reg,inline{depth=1},simplify'
int f(int n) { return n > 0 ? f(n - 1) + 1 : 0; }
int main(void) { return f(3); }
