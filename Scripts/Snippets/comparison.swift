func use(_ store: any Store, other: any Store, schema: Schema) throws {
  // SNIPPET
}
