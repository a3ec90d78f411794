// covers: bit-fields
// error: this arrangement of bit-fields is not supported
struct places {
    int a : 4;
    char : 0;
    int b : 20;
};

int main(void)
{
    struct places places = { 0 };
    struct places *p = &places;
    p->a = 3;
    return 0;
}
