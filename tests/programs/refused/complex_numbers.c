// covers: complex
// error: a complex type

int main(void)
{
    _Complex double z = 1;
    return 0;
}
