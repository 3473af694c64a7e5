import Foundation
import ORMExchange
import TestSupport
import Testing

/// Sources: where records are, what is wrong with them, and where.
@Suite struct ImportSourceTests {
  let folder = TestFolder()

  /// The bad records of a source: line, column and byte of each, and the message.
  private func bad(_ source: ImportFrom, count: Int) throws -> [String] {
    let store = try ImportStore.memory.open(folder)
    let report = try store.import(Rated.self, from: source) { $0.onBad = .collect() }
    #expect(try store.count(Rated.self) == count)
    #expect(report.read == count + report.badCount)
    return report.bad.map(\.error.message)
  }

  @Test("12.6 Bad lines of JSON are reported with their positions, and others are read")
  func lines() throws {
    let text = """
      {"id":1,"stars":1}
      {"id":2,"stars":"é","x":}
      {"id":3}

      {"id":4,"stars":2} 5
      [1]
      {"id":5,"stars":1.5}
      {"id":6,"stars":5}
      {"id":7
      """
    #expect(
      try bad(.jsonLines(.text("\u{FEFF}" + text)), count: 2) == [
        "x (line 2, column 25, byte 47): not JSON that can be read: no JSON value",
        "stars (line 3, column 1, byte 49): expected an integer of 64 bits, found nothing",
        "the top (line 5, column 20, byte 78): not JSON that can be read: text after the end",
        "the top (line 6, column 1, byte 80): expected an object, found an array",
        "stars (line 7, column 17, byte 100): expected an integer of 64 bits, "
          + "found a number with a fraction",
        "id (line 9, column 8, byte 131): not JSON that can be read: "
          + "no comma and no closing brace after a member",
      ])
  }

  @Test("12.6 Bad elements of an array are told by their paths, and others are read")
  func elements() throws {
    let text = """
      {"next": [1, {"a": "]"}],
       "data": {"items": [
        {"id":1,"stars":1},
        {"id":2,"stars":true},
        {"id":3,"stars":},
        7,
        {"id":4,"stars":5}]},
       "more": "}"}
      """
    #expect(
      try bad(.json(.text(text), at: "data.items"), count: 2) == [
        "data.items[1].stars (line 4, column 19, byte 87): "
          + "expected an integer of 64 bits, found a boolean",
        "data.items[2].stars (line 5, column 19, byte 112): not JSON that can be read: "
          + "no JSON value",
        "data.items[3] (line 6, column 3, byte 117): expected an object, found a number",
      ])
  }

  @Test("12.6 Bad records of CSV are reported with their positions, and others are read")
  func csv() throws {
    let text = "id,stars\n1,1\né,2\n2\n3,4,5\n4,\"x\"y\n5,5\r\n6,\n7,\"2\n"
    #expect(
      try bad(.csv(.text(text)), count: 2) == [
        "id (line 3, column 1, byte 13): expected an integer of 64 bits, found a string",
        "line 4, column 2, byte 19: the record has 1 fields, and the header has 2",
        "line 5, column 5, byte 24: the record has 3 fields, and the header has 2",
        "line 6, column 6, byte 31: text follows the closing quote of a field",
        "stars (line 8, column 3, byte 40): expected an integer of 64 bits, found null",
        "line 9, column 3, byte 43: a quoted field has no closing quote",
      ])
  }

  @Test("The form of CSV can be another")
  func csvForm() throws {
    let store = try ImportStore.memory.open(folder)
    var format = CSVFormat()
    format.delimiter = ";"
    format.quote = "'"
    format.header = ["name", "price", "taste", "tags"]
    format.isTrimmed = true
    format.hasDecimalComma = true
    format.comment = "#"
    format.empty = .text
    try store.import(
      Snack.self,
      from: .csv(
        .text("# a comment\n 'it''s' ; 2,5 ;; a b\n#\nx;1.000;'';[\"c d\"]\n"), format: format))
    let snacks = try store.fetch(Snack.all)
    #expect(snacks.map(\.name) == ["it's", "x"])
    #expect(snacks.map(\.price) == [2.5, 1])
    #expect(snacks.map(\.taste) == ["", ""])
    #expect(snacks.map(\.tags) == [["a", "b"], ["c d"]])
  }

  @Test("Fields of CSV go into nested objects and links", arguments: ImportStore.allCases)
  func csvPaths(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Team(id: 3, name: "Reds"))
    try store.import(
      Player.self, from: .csv(.text("id,fullName,team_id\n1,Ann,3\n2,\"Bob, jr\",\n")))
    #expect(try store.fetch(Player.all).map { $0.team.id } == [3, nil])
    try store.import(
      Customer.self, from: .csv(.text("name,home.street,home.city\nAnn,High,Bath\nBob,Low,\n")))
    #expect(
      try store.fetch(Customer.all).map(\.home) == [
        Address(street: "High", city: "Bath"), Address(street: "Low", city: nil),
      ])
  }

  @Test("Text that is cut at any byte is refused whole")
  func truncated() throws {
    let store = try ImportStore.memory.open(folder)
    let text = Array(#"{"d":[{"id":1,"stars":1},{"id":2,"stars":2}],"e":"é\""}"#.utf8)
    for count in 0..<text.count {
      let source = ImportFrom.json(.data(Data(text[..<count])), at: "d")
      let error = storeError { try store.import(Rated.self, from: source) }
      #expect(error?.code == .invalidImport, "\(count)")
      #expect(try store.count(Rated.self) == 0)
    }
    try store.import(Rated.self, from: .json(.data(Data(text)), at: "d"))
    #expect(try store.count(Rated.self) == 2)
  }

  @Test("A download is read as it comes, cut at any byte")
  func chunks() async throws {
    let store = try ImportStore.memory.open(folder)
    let text = Array("{\"id\":1,\"stars\":1}\n{\"id\":2,\"stars\":2}\n".utf8)
    for count in 0...text.count {
      try await store.deleteAll(Rated.self)
      let chunks = AsyncStream<[UInt8]> { stream in
        stream.yield(Array(text[..<count]))
        stream.yield(Array(text[count...]))
        stream.finish()
      }
      let report = try await store.import(Rated.self, from: .jsonLines(.chunks(chunks)))
      #expect(report.inserted == 2)
    }
    #expect(
      storeError {
        try store.import(
          Rated.self, from: .jsonLines(.chunks(AsyncStream<[UInt8]> { $0.finish() })))
      }?.code == .invalidImport)
  }

  @Test("Rejected records are written with their reasons and can be imported again")
  func rejects() throws {
    let store = try ImportStore.memory.open(folder)
    let path = folder.file("rejects.jsonl")
    let report = try store.import(
      Rated.self,
      from: .json(.text(#"[{"id":1,"stars":1},{"id":2,"stars":9},{"id":3,"stars":}]"#))
    ) { $0.onBad = .collect(upTo: 2, writingTo: path) }
    #expect(report.badCount == 2)
    let text = String(decoding: try bytes(path), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix(#"{"number":2,"line":1,"column":21,"byte":20,"path":"[1]","error":"#))
    #expect(lines[0].hasSuffix(#""record":{"id":2,"stars":9}}"#))
    #expect(lines[1].hasSuffix(#""text":"{\"id\":3,\"stars\":}"}"#))
    let mended = String(lines[0]).replacing("9}", with: "5}")
    try store.import(Rated.self, from: .jsonLines(.text(mended), at: "record"))
    #expect(try store.fetch(Rated.all).map(\.stars) == [1, 5])
    let error = storeError {
      try store.import(Rated.self, from: .json(.text("[1,2,3]"))) { $0.onBad = .collect(upTo: 2) }
    }
    #expect(error?.code == .importStopped)
    #expect(error?.failures.count == 2)
  }

  @Test("A cancelled import changes nothing")
  func cancelled() async throws {
    let store = try ImportStore.memory.open(folder)
    let lines = (1...100_000).map { #"{"id":\#($0),"stars":1}"# }.joined(separator: "\n")
    let task = Task { try await store.import(Rated.self, from: .jsonLines(.text(lines))) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.count(Rated.self) == 0)
  }
}
