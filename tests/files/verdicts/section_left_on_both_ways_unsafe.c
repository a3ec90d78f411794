// precise: FAILED --threads 1
// One way writes after it has left the section.
void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
int nondet_int(void);

int x;

void worker(void)
{
    __CPROVER_atomic_begin();
    if (nondet_int()) {
        __CPROVER_atomic_end();
        x = 1;
        return;
    } else {
        x = 0;
        __CPROVER_atomic_end();
        return;
    }
}

int main(void)
{
    __CPROVER_ASYNC_1: worker();
    __CPROVER_atomic_begin();
    __CPROVER_assert(x == 0, "nobody writes outside");
    __CPROVER_atomic_end();
}
