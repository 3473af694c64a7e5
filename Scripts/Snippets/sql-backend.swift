final class MyDatabase: SQLDatabase {
  init(path: String) throws {}
  var dialect: any SQLDialect { fatalError() }
  func reader() throws -> any SQLConnection { fatalError() }
  func writer() throws -> any SQLConnection { fatalError() }
}

// SNIPPET
