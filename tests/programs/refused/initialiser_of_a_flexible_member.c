// covers: arrays
// error: the initialiser of a flexible array member is not supported
struct text {
    int length;
    char bytes[];
} text = { 2, "ab" };

int main(void)
{
    return text.bytes[0];
}
