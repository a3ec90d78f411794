// covers: attributes
// error: 'maybe' is weak and not defined here: its address may be null

int maybe(void) __attribute__((weak));

int main(void)
{
    return maybe ? 1 : 0;
}
