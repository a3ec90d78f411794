// precise: FAILED --data-model ILP32
// Pointers of four bytes that are passed behind the parameters: each is written where it is read.
typedef __builtin_va_list va_list;
extern void reach_error(void);

static void fill(int count, ...)
{
    va_list list;
    __builtin_va_start(list, count);
    while (count--)
        *__builtin_va_arg(list, int *) = count;
    __builtin_va_end(list);
}

int main(void)
{
    int one = 5, two = 5;
    fill(2, &one, &two);
    if (one == 1 && two == 0)
        reach_error();
    return 0;
}
