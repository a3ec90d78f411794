// precise: FAILED --threads 2
int unused, stack[4], top;

void user(void) {
    stack[top] = 1;
    top++;
    int *end = stack + top;
    top--;
    int found = end[-1];
    __CPROVER_assert(found == 1, "what was pushed");
}

int main(void) {
    __CPROVER_ASYNC_1: user();
    __CPROVER_ASYNC_2: user();
}
