// precise: SUCCESSFUL --threads 0
// Where there is no room at all nothing comes after the first creation.
int started;

void work(void) { started = 1; }

int main(void) {
    __CPROVER_assert(!started, "nobody is there");
    __CPROVER_ASYNC_1: work();
    __CPROVER_assert(0, "never reached");
}
