int secret; // nobody has to see this
