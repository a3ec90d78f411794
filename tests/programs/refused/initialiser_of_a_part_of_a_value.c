// error: a part of an object that a value initialises as a whole
// covers: initialisers
struct pair { int x, y; };

int main(void)
{
    struct pair p = { 1, 2 };
    struct { struct pair p; } q = { .p = p, .p.x = 3 };
    return q.p.y;
}
