// precise: SUCCESSFUL --property pointers
// NOTE assuming that no local is used after the block that declares it
// An array of variable length ends with its block, too.
int main(void)
{
    int *kept = 0;
    for (int count = 1; count < 3; count++) {
        int numbers[count];
        numbers[0] = count;
        kept = numbers;
    }
    return *kept;
}
