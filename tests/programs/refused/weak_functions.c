// covers: attributes
// error: '_maybe' is weak and not defined here: its address may be null

int _maybe(void) __attribute__((weak));

int main(void)
{
    return _maybe ? 1 : 0;
}
