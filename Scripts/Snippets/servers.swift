@Persistable
struct Todo {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  var isDone = false
}

extension Todo: JSONMapped {}

// SNIPPET
// SNIPPET
// SNIPPET
func use(_ store: any Store, body: Data, limit: Int?, after: String?) async throws {
  let next: String?
  do {
    // SNIPPET
  }
  print(next ?? "")
  // SNIPPET
}
