import Foundation
import ORMExchange
import TestSupport
import Testing

/// The kinds of faults that a server answers by, and what their messages name.
@Suite struct FaultKindTests {
  let folder = TestFolder()

  private func fault(_ text: String, strict: Bool = false) -> StoreError? {
    let mapping = JSONMapping(Article.self, unknown: strict ? .refuse : .ignore)
    return storeError { _ = try mapping.decodeOne(text) }
  }

  @Test("8.1 An error of JSON says what kind of fault it is")
  func kinds() {
    let cases: [(String, ImportFault?)] = [
      ("{", .syntax), (#"{"id":1,}"#, .syntax), (#"{"id":01}"#, .syntax), ("", .syntax),
      (#"{"id":1,"title":"a"} x"#, .syntax), (#"{"id":"1","title":"a"}"#, .value),
      (#"{"id":1,"title":null}"#, .value), (#"{"id":1}"#, .missing), ("7", .value),
      (#"{"id":1,"title":"a","other":2}"#, .unknownMember), ("[]", .records),
      (#"{"id":1,"title":"a","title":"b"}"#, .unknownMember),
      (#"{"id":"1","title":2}"#, .value), (#"{"id":"1"}"#, .several),
    ]
    for (text, kind) in cases {
      let error = fault(text, strict: true)
      #expect(error?.code == .invalidImport, "\(text)")
      #expect(error?.importFault == kind, "\(text): \(error?.message ?? "")")
    }
    let bytes = Data([0x7B, 0xFF, 0x7D])
    #expect(
      storeError { _ = try JSONMapping(Article.self).decodeOne(bytes) }?.importFault == .syntax)
    let refusing = JSONMapping(Article.self).after { _, _ in .fail("no") }
    let refused = storeError { _ = try refusing.decodeOne(#"{"id":1,"title":"a"}"#) }
    #expect(refused?.code == .invalidImport)
    #expect(refused?.importFault == nil)
    #expect(
      storeError { _ = try JSONMapping(Article.self).decode("{}", at: "data") }?.importFault
        == .records)
  }

  @Test("8.1 A number that does not fit says so")
  func numbers() {
    func message(_ member: String) -> String {
      let mapping = JSONMapping(Sample.self)
      return storeError { _ = try mapping.decodeOne("{\"id\":1,\"info\":{},\(member)}") }?.message
        ?? ""
    }
    #expect(
      message(#""byte":300"#).contains(
        "expected an integer from 0 to 255, found a number out of range"))
    #expect(message(#""byte":-1"#).contains("found a number out of range"))
    #expect(message(#""byte":2.5"#).contains("found a number with a fraction"))
    #expect(message(#""byte":"3""#).contains("found a string"))
    #expect(message(#""long":9223372036854775808"#).contains("found a number out of range"))
    #expect(
      message(#""double":9007199254740993"#).contains(
        "found an integer that it cannot hold exactly"))
    #expect(message(#""float":1e300"#).contains("found one out of range"))
  }

  @Test("8.1 A missing member names one that was meant")
  func nearNames() throws {
    let store = try ImportStore.memory.open(folder)
    for header in [" title", "TITLE", "Title ", "ti-tle", "\u{FEFF}title"] {
      let source = ImportFrom.csv(.text("id,\"\(header)\"\n1,a\n"))
      let error = storeError { try store.import(Article.self, from: source) }
      #expect(error?.code == .invalidImport)
      #expect(error?.importFault == .missing)
      #expect(
        error?.message.contains("there is '\(header)', which the mapping does not read") == true,
        "\(error?.message ?? "")")
      let byName = storeError { try store.import(entity: "Article", from: source) }
      #expect(byName?.message.contains("there is '\(header)'") == true, "\(byName?.message ?? "")")
    }
    let plain = storeError { try store.import(Article.self, from: .csv(.text("id,name\n1,a\n"))) }
    #expect(plain?.message.contains("there is") == false)
    #expect(fault(#"{"id":1,"Title":"a"}"#)?.message.contains("there is 'Title'") == true)
    let twin = JSONMapping(Article.self).field(\.title, from: "caf\u{E9}")
    let error = storeError { _ = try twin.decodeOne("{\"id\":1,\"cafe\u{301}\":\"a\"}") }
    #expect(error?.message.contains("there is 'cafe\u{301}'") == true)
  }

  @Test("12.1 Names and words that are canonically equal are two", arguments: ImportStore.allCases)
  func twins(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let csv = "id,\u{E9},e\u{301}\n1,a,b\n"
    let mapping = JSONMapping(Article.self).field(\.title, from: "\u{E9}").field(
      \.note, from: "e\u{301}")
    try store.import(Article.self, from: .csv(.text(csv))) { $0.mapping = mapping }
    #expect(try store.find(Article.self, 1)?.title == "a")
    #expect(try store.find(Article.self, 1)?.note == "b")
    let text = try mapping.encode(try #require(try store.find(Article.self, 1)))
    #expect(
      text.utf8.elementsEqual("{\"id\":1,\"\u{E9}\":\"a\",\"e\u{301}\":\"b\",\"count\":0}".utf8))
    let read = try mapping.decodeOne(text)
    #expect((read.title, read.note) == ("a", "b"))
    #expect(try mapping.losses.filter { $0.property != "tags" } == [])
    try store.export(Article.all, to: .csv(folder.file("twins.csv")), mapping: mapping)
    try store.deleteAll(Article.self)
    try store.import(Article.self, from: .csv(.file(folder.file("twins.csv")))) {
      $0.mapping = mapping
    }
    #expect(try store.find(Article.self, 1)?.note == "b")
    let words = JSONMapping(Article.self).field(\.title, as: .cases(["\u{E9}": "one", "x": "two"]))
    #expect(try words.decodeOne("{\"id\":1,\"title\":\"\u{E9}\"}").title == "one")
    #expect(
      storeError { _ = try words.decodeOne("{\"id\":1,\"title\":\"e\u{301}\"}") }?.importFault
        == .value)
    // As data, a mapping has words for both.
    let data = #"{"fields":{"title":{"as":{"cases":{"\#u{E9}":"one","e\#u{301}":"two"}}}}}"#
    let both = try JSONMapping<Article>(JSONCoding.decode(DynamicMapping.self, from: data))
    #expect(try both.decodeOne("{\"id\":1,\"title\":\"\u{E9}\"}").title == "one")
    #expect(try both.decodeOne("{\"id\":1,\"title\":\"e\u{301}\"}").title == "two")
    let again = try JSONCoding.decode(
      JSONMapping<Article>.self, from: JSONCoding.encode(both))
    #expect(try again.decodeOne("{\"id\":1,\"title\":\"\u{E9}\"}").title == "one")
    #expect(try again.decodeOne("{\"id\":1,\"title\":\"e\u{301}\"}").title == "two")
  }

  @Test("12.4 CSV whose lines end in CR alone has records", arguments: [true, false])
  func returns(hasHeader: Bool) throws {
    let store = try ImportStore.memory.open(folder)
    var format = CSVFormat()
    if !hasHeader { format.header = ["id", "title", "note"] }
    format.comment = "#"
    let lines =
      (hasHeader ? ["id,title,note"] : []) + [
        "1,a,\"x\r\ny\"", "2,\"b\rc\",", "3,d,e", "4,f",
      ]
    let text = "#first\r" + lines.joined(separator: "\r") + "\r"
    let report = try store.import(Article.self, from: .csv(.text(text), format: format)) {
      $0.onBad = .collect()
    }
    #expect((report.read, report.inserted, report.badCount) == (4, 3, 1))
    #expect(try store.fetch(Article.all).map(\.title) == ["a", "b\rc", "d"])
    #expect(try store.fetch(Article.all).map(\.note) == ["x\r\ny", nil, "e"])
    #expect(report.bad.first?.error.message.contains("the record has 2 fields") == true)
    // In a file with line feeds, a CR alone is a part of a field.
    let mixed = "id,title,note\n7,g\rh,\n"
    try store.import(Article.self, from: .csv(.text(mixed)))
    #expect(try store.find(Article.self, 7)?.title == "g\rh")
  }

  @Test("8.1 A record without a row names its attributes", arguments: ImportStore.allCases)
  func missingRows(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let text = ImportFrom.jsonLines(.text(#"{"id":5,"title":"a"}"#))
    let byKey = storeError { try store.import(Article.self, from: text) { $0.onMissing = .throw } }
    #expect((byKey?.code, byKey?.attributes ?? []) == (.notFound, ["id"]))
    #expect(byKey?.key == [.int(5)])
    for merge in [ImportMerge.present, .replace] {
      let byTitle = storeError {
        try store.import(Article.self, from: text) {
          $0.onMissing = .throw
          $0.match = .on(\.title)
          $0.merge = merge
        }
      }
      #expect((byTitle?.code, byTitle?.attributes ?? []) == (.notFound, ["title"]))
    }
  }

  @Test("8.1 An export into a folder that is not there says so")
  func folders() throws {
    let store = try ImportStore.memory.open(folder)
    let error = storeError { try store.export(Article.all, to: .json(folder.file("no/a.json"))) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("there is no folder \(folder.file("no"))") == true)
  }

  @Test("12.2 A patch sets what JSON has in a row", arguments: ImportStore.allCases)
  func patches(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Snack(name: "Chips", taste: "hot", price: 2, stock: 7, tags: ["a"]))
    let id = try #require(try store.first(Snack.all)?.id)
    let patched = try store.patch(
      Snack.self, id, from: Data(#"{"price":3,"taste":null}"#.utf8), mapping: JSONMapping())
    #expect((patched.price, patched.taste, patched.stock, patched.tags) == (3, nil, 7, ["a"]))
    #expect(try store.find(Snack.self, id) == patched)
    let body: JSONValue = ["tags": ["b", "c"]]
    #expect(try store.patch(Snack.self, id, from: body, mapping: JSONMapping()).tags == ["b", "c"])
    #expect(try store.find(Snack.self, id)?.price == 3)
    let before = try store.find(Snack.self, id)
    let cases: [(String, StoreError.Code, ImportFault?)] = [
      ("{", .invalidImport, .syntax), (#"{"price":"x"}"#, .invalidImport, .value),
      (#"{"id":99}"#, .invalidImport, .value), ("[]", .invalidImport, .records),
    ]
    for (text, code, fault) in cases {
      let error = storeError {
        try store.patch(Snack.self, id, from: Data(text.utf8), mapping: JSONMapping())
      }
      #expect((error?.code, error?.importFault) == (code, fault), "\(text)")
    }
    #expect(try store.find(Snack.self, id) == before)
    let missing = storeError {
      try store.patch(Snack.self, 999, from: body, mapping: JSONMapping())
    }
    #expect((missing?.code, missing?.key ?? []) == (.notFound, [.int(999)]))
  }
}
