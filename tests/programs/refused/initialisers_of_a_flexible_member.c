// covers: arrays
// error: the initialiser of a flexible array member is not supported
struct list {
    int length;
    int items[];
} list = { 2, { 5, 6 } };

int main(void)
{
    return list.items[0];
}
