// covers: varargs
// error: no variable argument has this type

int sum(int n, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int x = __builtin_va_arg(list, char);
    __builtin_va_end(list);
    return x;
}

int main(void)
{
    return sum(1, 2);
}
