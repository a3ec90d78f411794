// precise: FAILED --threads 1
// A parameter of an old definition is passed as an int and converted.
extern int __VERIFIER_nondet_int(void);
int taken;
void old(c) char c;
{ taken = c; }
void other(int x) { taken = 2; }

int main(void) {
    void (*function)() = __VERIFIER_nondet_int() ? (void (*)())old : (void (*)())other;
    function(0x103);
    __CPROVER_assert(taken != 3, "the low byte");
}
