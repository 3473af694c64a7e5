internal import SQLEngine

/// Binds the values of a row as its source sets them.
struct SQLiteRowWriter: SQLRowBinder {
  let statement: SQLiteStatement
  let parameters: SQLRowParameters
  var progress = SQLRowProgress()

  init(_ statement: SQLiteStatement, _ parameters: SQLRowParameters) {
    self.statement = statement
    self.parameters = parameters
  }
}
