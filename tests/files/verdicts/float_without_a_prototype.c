// precise: FAILED --threads 1
// A float is passed as a double where there is no prototype.
extern int __VERIFIER_nondet_int(void);
int taken;
void of_double(double x) { taken = 1; }
void of_int(int x) { taken = 2; }

int main(void) {
    int choice = __VERIFIER_nondet_int();
    void (*function)() = choice ? (void (*)())of_double : (void (*)())of_int;
    if (choice)
        function(1.5f);
    else
        function(3);
    __CPROVER_assert(taken == 2, "only the other is called");
}
