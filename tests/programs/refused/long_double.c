// covers: floats
// error: a floating-point type other than float and double

int main(void)
{
    long double d = 1;
    return d > 0;
}
