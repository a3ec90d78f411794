// covers: attributes
// error: the attribute 'constructor' is not supported

__attribute__((constructor)) static void before(void)
{
}

int main(void)
{
    return 0;
}
