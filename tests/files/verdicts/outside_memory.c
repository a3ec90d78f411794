// precise: FAILED --threads 1
// What the caller hands over may be any text.
int main(int count, char **words) {
    if (count > 1 && words[1][0] == 'x')
        __CPROVER_assert(0, "reached");
    return 0;
}
