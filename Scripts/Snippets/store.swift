func use(_ store: any Store) throws {
  // SNIPPET
}
