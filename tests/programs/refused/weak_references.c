// covers: attributes
// error: the attribute 'weakref' is not supported

void there(void) {}
static void here(void) __attribute__((weakref("there")));

int main(void)
{
    here();
    return 0;
}
