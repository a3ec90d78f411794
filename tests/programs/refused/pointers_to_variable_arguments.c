// covers: varargs
// error: a pointer to a function with '...' has another type than one without, and calls through it pass arguments in another way; give the pointer the function's type

static int two(int a, int b)
{
    return a + b;
}

int main(void)
{
    int (*pointer)(int, ...) = (int (*)(int, ...))two;
    return pointer(2, 3);
}
