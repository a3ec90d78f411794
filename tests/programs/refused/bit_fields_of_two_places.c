// covers: bit-fields
// error: this arrangement of bit-fields

struct places {
    int a : 4;
    char : 0;
    int b : 20;
} places;

int main(void)
{
    places.a = 3;
    return 0;
}
