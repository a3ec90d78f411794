// covers: attributes
// error: 'here' with the assembler name 'there' is not supported

void there(void) {}
void here(void) __asm__("there");

int main(void)
{
    here();
    return 0;
}
