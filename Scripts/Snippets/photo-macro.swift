@Persistable
struct Photo {
  @PrimaryKey(.generated) var id: Int64 = 0
  // SNIPPET
}
