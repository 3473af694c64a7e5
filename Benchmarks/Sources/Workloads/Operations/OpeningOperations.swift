/// A file that is opened anew each time.
package protocol OpeningOperations {
  /// Opens the file, finds one row of the indexed table and closes the file.
  func openAndFind(_ key: Int64) throws -> Int
}
