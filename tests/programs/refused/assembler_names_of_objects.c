// covers: attributes
// error: 'here' with the assembler name 'there' is not supported

int there = 5;
extern int here __asm__("there");

int main(void)
{
    return here;
}
