@Persistable
struct Project {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Attribute(.softDelete) var deletedAt: Date?
}

func use(_ store: any Store, aMonthAgo: Date) throws {
  // SNIPPET
}
