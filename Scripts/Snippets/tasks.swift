@Persistable
struct Task {
  @PrimaryKey(.generated) var id: Int64 = 0
  var project: ToOne<Project> = ToOne()
}

// SNIPPET
