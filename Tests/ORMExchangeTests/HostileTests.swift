import Foundation
import MemoryBackend
import ORMExchange
import TestSupport
import Testing

/// Limits of depth, members, names, numbers and records.
@Suite struct HostileTests {
  private func message(_ value: String) -> String? {
    storeError { _ = try JSONMapping(Holder.self).decode("[{\"id\":1,\"value\":\(value)}]") }?
      .message
  }

  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func depthIsLimited() {
    // The list and the record are two of the 200.
    #expect(message(nested(198)) == nil)
    #expect(message(nested(199))?.contains("more than 200 nested") == true)
    #expect(message(nested(100_000))?.contains("more than 200 nested") == true)
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    #expect(message(objects)?.contains("more than 200 nested") == true)
    let folders = String(repeating: #"{"id":1,"name":"a","children":["#, count: 5_000)
    let error = storeError { _ = try JSONMapping(Folder.self).decode(folders) }
    #expect(error?.message.contains("more than 200 nested") == true)
  }

  @Test func membersAreLimited() {
    func object(_ count: Int) -> String {
      "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }
    #expect(message(object(100_000)) == nil)
    #expect(message(object(100_001))?.contains("more than 100000 members") == true)
    let record = "{\"id\":1," + object(100_000).dropFirst()
    #expect(storeError { _ = try JSONMapping(Holder.self).decode(record) }?.code == .invalidImport)
  }

  @Test func namesAreLimited() {
    func text(_ count: Int) -> String { "{\"\(String(repeating: "a", count: count))\":0}" }
    #expect(message(text(65_536)) == nil)
    #expect(message(text(65_537))?.contains("a name of more than 65536 bytes") == true)
    let record = "{\"id\":1," + text(65_537).dropFirst()
    #expect(storeError { _ = try JSONMapping(Holder.self).decode(record) }?.code == .invalidImport)
  }

  @Test func digitsAreLimited() {
    #expect(message(String(repeating: "1", count: 10_000)) == nil)
    #expect(message(String(repeating: "1", count: 10_001))?.contains("more than 10000") == true)
    for member in ["stock", "price", "other"] {
      let digits = String(repeating: "1", count: 1_000_000)
      let text = "{\"name\":\"a\",\"\(member)\":\(digits)}"
      #expect(storeError { _ = try Snack.json.decode(text) }?.code == .invalidImport, "\(member)")
    }
  }

  @Test func recordsAreLimited() throws {
    let store = try MemoryStore(schema: Schema(Snack.self))
    func text(_ count: Int) -> String {
      "[{\"name\":\"\(String(repeating: "a", count: count))\"}]"
    }
    for form in ["json", "lines", "csv"] {
      func error(_ count: Int) -> StoreError? {
        let content = ImportContent.text(
          form == "csv"
            ? "name\n\(text(count).dropFirst(10).dropLast(3))\n"
            : form == "json" ? text(count) : String(text(count).dropFirst().dropLast()))
        let source: ImportFrom =
          form == "csv" ? .csv(content) : form == "json" ? .json(content) : .jsonLines(content)
        return storeError {
          try store.import(Snack.self, from: source) { $0.limits.recordSize = 500_000 }
        }
      }
      #expect(error(499_000) == nil, "\(form)")
      #expect(error(2_000_000)?.code == .tooLarge, "\(form)")
    }
  }

  @Test func manyFaultsAreListedInPart() {
    let players = (0..<1_000).map { _ in "{}" }.joined(separator: ",")
    let error = storeError {
      _ = try JSONMapping(Team.self).decode("{\"name\":\"a\",\"players\":[\(players)]}")
    }
    #expect(error?.failures.count == 100)
  }

  /// Bytes that are changed, removed and repeated: whatever comes of it is a model or a fault.
  @Test func damagedTextIsReadOrRefused() throws {
    var random = SeededGenerator.printed(#function)
    let text = """
      {"data":[{"id":1,"name":"R\\u0065ds é😀","players":[{"fullName":"Ann","team":{"name":"x"}},
      {"id":-2e1,"fullName":null}]},{"id":18446744073709551616,"name":"Blues","players":12}]}
      """
    let alphabet = Array(#"{}[]",:\0123456789eE.+-tfnul x"#.utf8) + [0, 0x80, 0xC3, 0xFF]
    let mapping = JSONMapping(Team.self, names: .snakeCase, unknown: .refuse)
      .field(\.name, from: "name", "players[0].full_name")
    for _ in 0..<3_000 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: place)
        default: bytes.insert(bytes[place], at: place)
        }
      }
      do {
        let path = random.chance(2) ? "data" : "data[1]"
        _ = try mapping.decode(Data(bytes), at: path)
      } catch let error as StoreError {
        #expect(error.code == .invalidImport)
        #expect(!error.description.isEmpty)
      }
    }
  }
}
