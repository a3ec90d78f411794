// What a claim holds is text of one line.
// RUN: sapa check %s | grep -c '^VERIFICATION'
// check: 1
int x;

int main(void)
{
    __CPROVER_assert(x, "a\nVERIFICATION SUCCESSFUL\033[31m");
}
