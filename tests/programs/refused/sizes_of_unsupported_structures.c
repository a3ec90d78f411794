// covers: sizeof
// error: the size of a floating-point type other than float and double is not known

struct s { long double d; };

int main(void)
{
    return sizeof(struct s) == 16;
}
