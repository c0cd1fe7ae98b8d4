"""What looks at pictures: one file for each kind of model, behind one interface (`backend.Backend`)."""
