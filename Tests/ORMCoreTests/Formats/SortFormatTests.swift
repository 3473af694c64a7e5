import ORMCore
import Testing

@Suite("Orders as texts")
struct SortFormatTests {
  @Test("an order reads as the typed one, in any of its spellings")
  func spellings() throws {
    let typed: [Query<Snack>.Order] = [
      .descending(\.price), .ascending(\.name, .caseInsensitive, nils: .last),
    ]
    for format in [
      "price DESC, name ASC[c] NULLS LAST", "price descending, name[c] nils last",
      "-price,name[C] asc Nulls last", "price desc , name[c] ascending NILS LAST",
    ] {
      #expect(try Sort<Snack>(format: format).order == typed, "\(format)")
    }
    #expect(try Sort<Snack>(format: "%K DESC", "price").order == [.descending(\.price)])
    #expect(
      try Sort<Snack>(format: "name[c] DESC[d]").order
        == [.descending(\.name, [.caseInsensitive, .diacriticInsensitive])])
    #expect(
      Snack.all.sorted(by: "price DESC, name[c] NULLS LAST")
        == Snack.all.sorted(by: .descending(\.price), typed[1]))
    #expect(
      Snack.all.select(\.name).sorted(by: "length(name) DESC, id").query.order
        == [.descending { $0.name.length() }, .ascending(\.id)])
  }

  @Test(
    "an order prints as a text that reads back to it",
    arguments: [
      "price", "price descending", "name[cd] descending nils first", "price nils last, id",
      "(price * 2.0) descending", "(-(price))", "(-(price)) descending", "tags[0][c]",
      "length(name), uppercase(name)[n]", "max(tags)[c]", "fold_cd(name)",
    ])
  func printing(_ text: String) throws {
    let sort = try Sort<Snack>(format: text)
    #expect(sort.formatString == text)
    #expect(try Sort<Snack>(format: sort.formatString) == sort)
  }

  @Test("orders go through relationships and into JSON")
  func paths() throws {
    for text in [
      "coach.name[c] descending", "players.@count, players.@max.age descending nils last",
    ] {
      #expect(try Sort<Team>(format: text).formatString == text)
    }
  }

  @Test("2.4: what a fold prints reads back")
  func folds() throws {
    for bits in UInt8(1)...7 {
      let options = TextOptions(rawValue: bits)
      let filter = Snack.all.where { $0.name.folded(options) == "a" }.filter
      #expect(try Filter<Snack>(format: filter.formatString) == filter)
    }
    let folded = Snack.all.where { $0.name.folded(.caseInsensitive) == "strasse" }.filter
    #expect(folded.formatString == "fold_c(name) == \"strasse\"")
  }

  @Test(
    "errors say where",
    arguments: [
      ("price DESCENDINGLY", "offset 6", "found DESCENDINGLY"), ("prise DESC", "offset 0", "price"),
      ("price, ", "offset 7", "found the end"), ("price NULLS", "offset 11", "first or last"),
      (
        "price[c]", "offset 0",
        "the options [c] apply only to text"
      ), ("tags", "offset 0", "cannot be sorted by"),
      ("-price DESC", "offset 1", "both reverse the order"), ("", "offset 0", "found the end"),
      ("name[x]", "offset 5", "found x"), ("price > 1", "offset 6", "found >"),
    ])
  func errors(_ format: String, _ place: String, _ piece: String) throws {
    let error = #expect(throws: StoreError.self) { _ = try Sort<Snack>(format: format) }
    let text = "\(try #require(error))"
    #expect(text.contains(place) && text.contains(piece), "\(text)")
  }

  @Test("7.4: a literal that cannot be read carries its error")
  func carried() throws {
    let query = Snack.all.sorted(by: "prise DESC")
    guard case .invalid(let error)? = query.order.first?.term.operand else {
      Issue.record("no error is carried: \(query)")
      return
    }
    #expect(error.code == .unknownAttribute)
  }
}
