// covers: sizeof
// error: this type has no constant size

struct s { long double d; };

int main(void)
{
    return sizeof(struct s) == 16;
}
