package import ORMCore

extension SQLReader {
  package final func verify(_ found: (StoreError) throws -> Void) throws {
    try checkOpen()
    guard let sql = session.dialect.integrityCheck else { return }
    let statement = try session.connection.statement(sql)
    defer { statement.rewind() }
    while try statement.step() {
      guard let line = statement.text(at: 0), line != "ok" else { continue }
      try found(StoreError(.corrupt, "the engine's own check: \(line)"))
    }
  }
}
