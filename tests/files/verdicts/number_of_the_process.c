// precise: SUCCESSFUL --threads 1
// The same at each call.
int getpid(void);

int main(void) {
    int id = getpid();
    __CPROVER_assert(id > 0 && id == getpid(), "one process");
}
