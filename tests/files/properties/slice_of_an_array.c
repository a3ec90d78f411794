// precise: SUCCESSFUL --property pointers
// precise: FAILED --property pointers -DBROKEN
// An array behind a pointer has a length that the code does not say.
int numbers[10];

int sum(int *first, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += first[i];
    return sum;
}

int main(void) {
#ifdef BROKEN
    return sum(numbers + 2, 9);
#else
    return sum(numbers + 2, 8);
#endif
}
