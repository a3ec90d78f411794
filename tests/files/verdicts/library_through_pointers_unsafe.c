// precise: FAILED --threads 1
// What is called is the error, also where the program says what it does.
void reach_error(void) {}

int main(void) {
    void (*function)(void) = reach_error;
    (0, function)();
}
