import ORMCore
import Testing

@Suite("Errors quote long names in part")
struct ErrorTextTests {
  @Test("8.1: a long word of a sentence loses its middle, short ones and paths stay")
  func sentences() {
    let long = String(repeating: "x", count: 1_000_000)
    let error = StoreError(
      .unknownAttribute, "there is no \(long); a \(long)", entity: long, attributes: [long, "y"])
    #expect(error.description.utf8.count < 500)
    #expect(error.message.hasPrefix("there is no xxx"))
    #expect(error.message.contains("…"))
    #expect(error.attributes == [long, "y"], "a program gets the whole name")
    #expect(error.entity == long)
    let path = "/tmp/" + String(repeating: "folder/", count: 100) + "store.db"
    #expect(StoreError(.cannotOpen, "\(path): no such file").message.contains(path))
    let short = "it says no more than a hundred bytes"
    #expect(StoreError(.engine, short).message == short)
  }

  @Test("8.1: a long sentence of short words has an end")
  func lists() {
    let words = (0..<100_000).map { "\($0)" }.joined(separator: ", ")
    #expect(StoreError(.invalidCondition, words).message.utf8.count < 20_000)
    let many = StoreError(.schemaMismatch, "?", attributes: (0..<100_000).map { "a\($0)" })
    #expect(many.description.utf8.count < 20_000)
    let scalars = String(repeating: "e\u{301}", count: 100_000)
    #expect(StoreError(.engine, scalars).message.utf8.count < 500)
  }
}
