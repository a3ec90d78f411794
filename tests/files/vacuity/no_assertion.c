// A program without assertions.
// RUN: sapa check %s
// check: access atomicity, no assertion
// nextln: VERIFICATION SUCCESSFUL
int x;
void t(void) { x = 1; }
int main(void) { __CPROVER_ASYNC_1: t(); return 0; }
