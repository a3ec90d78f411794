// precise: FAILED --threads 1 --atomicity statement
int values[3] = {5, 6, 7}, top;

void taker(void) {
    int found = values[top++];
    __CPROVER_assert(found != 5, "the first value");
}

int main(void) { __CPROVER_ASYNC_1: taker(); }
