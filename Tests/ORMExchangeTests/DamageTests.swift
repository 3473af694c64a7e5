import Foundation
import ORMExchange
import TestSupport
import Testing

/// Damage at every kind of position, reported by line, column, byte and path.
@Suite struct DamageTests {
  /// The error of the second of three records, in whose place a text stands, and the keys that are
  /// stored.
  private func imported(_ record: String) throws -> (error: String, keys: [Int64]) {
    let folder = TestFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try ImportStore.memory.open(folder)
    // The second line begins at byte 48, the third at byte 70.
    let text = """
      {"data": [{"items": [], "x": "é"}, {"items": [
        {"id":1,"stars":1},
      \(record),
        {"id":3,"stars":3}
      ]}]}
      """
    let report = try store.import(Rated.self, from: .json(.text(text), at: "data[1].items")) {
      $0.onBad = .collect()
    }
    #expect(report.bad.map(\.number) == (report.bad.isEmpty ? [] : [2]))
    #expect(report.bad.allSatisfy { $0.path == "data[1].items[1]" })
    return (report.bad.first?.error.message ?? "", try store.fetch(Rated.all).map(\.id))
  }

  @Test(
    "12.6 A damaged record is told by its place, and the others are read",
    arguments: [
      // A value of another kind, or one that does not fit, is told by its first byte.
      (#"{"id":2,"stars":"x"}"#, ".stars", 17, 86), (#"{"id":2,"stars":1.5}"#, ".stars", 17, 86),
      (#"{"id":2,"stars":9223372036854775808}"#, ".stars", 17, 86),
      (#"{"id":2,"stars":1e40}"#, ".stars", 17, 86), (#"{"id":2,"stars":null}"#, ".stars", 17, 86),
      (#"{"id":2,"stars":[1]}"#, ".stars", 17, 86), (#"{"id":2,"stars":{}}"#, ".stars", 17, 86),
      (#"{"id":2.5,"stars":2}"#, ".id", 7, 76), (#"{"stars":2,"id":"2"}"#, ".id", 17, 86),
      // An attribute without a value, and a value that a rule refuses, by the record.
      (#"{"id":2}"#, ".stars", 1, 70), (#"{"id":2,"stars":9}"#, "", 1, 70),
      (#"[2]"#, "", 1, 70), (#"2"#, "", 1, 70), (#""é""#, "", 1, 70),
      // Text that is not JSON, by the value that is none, or the byte that cannot follow.
      (#"{"id":2,"stars":tru}"#, ".stars", 17, 86), (#"{"id":2,"stars":01}"#, ".stars", 17, 86),
      (#"{"id":2,"stars"}"#, ".stars", 16, 85), (#"{"id":2 "stars":2}"#, ".id", 9, 78),
      (#"{id:2,"stars":2}"#, "", 2, 71), (#"{"id":2,"stars":2,}"#, "", 19, 88),
      (#"{"id":2,"x":[1,],"stars":2}"#, ".x[1]", 16, 85),
      (#"{"id":2,"x":"\q","stars":2}"#, ".x", 13, 82),
    ])
  func records(_ record: String, _ path: String, _ column: Int, _ byte: Int) throws {
    let result = try imported(record)
    let place = "data[1].items[1]\(path) (line 3, column \(column), byte \(byte)): "
    #expect(result.error.hasPrefix(place), "\(result.error)")
    #expect(result.keys == [1, 3])
  }

  @Test("Of members with one name the last counts")
  func repeated() throws {
    let result = try imported(#"{"id":9,"stars":1,"id":2,"stars":2}"#)
    #expect(result.error == "")
    #expect(result.keys == [1, 2, 3])
  }
}
