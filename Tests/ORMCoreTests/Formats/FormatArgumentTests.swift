import Foundation
import ORMCore
import Testing

@Suite("Predicate formats: arguments and variables")
struct FormatArgumentTests {
  private func filter(_ format: String, _ arguments: (any FormatArgument)?...) throws -> String {
    try Filter<Snack>(format: format, arguments: arguments).formatString
  }

  @Test("values, lists, keys and nil")
  func values() throws {
    #expect(
      try filter("id IN %@ AND name LIKE[cd] %@", [1, 2], "a*")
        == "id IN {1, 2} AND name LIKE[cd] \"a*\"")
    #expect(try filter("%K > %@", "price", 3) == "price > 3.0")
    #expect(try filter("%K > %@", \Snack.price, 3.5) == "price > 3.5")
    #expect(try filter("taste == %@", nil) == "taste == nil")
    #expect(try filter("taste == %@", String?.none) == "taste == nil")
    #expect(try filter("%@ == id", 3) == "3 == id")
    #expect(try filter("isHot == %@", true) == "isHot == TRUE")
    #expect(try filter("SELF == %@", Snack(id: 9)) == "id == 9")
    #expect(try filter("SELF IN %@", [Snack(id: 9), Snack(id: 8)]) == "id IN {9, 8}")
    #expect(try filter("amount IN %@", Set([4])) == "amount IN {4}")
    #expect(try filter("amount BETWEEN %@", [1, 5]) == "amount >= 1 AND amount <= 5")
    #expect(try filter("tags[%d] == %@", 1, "a") == "tags[1] == \"a\"")
    #expect(try filter("%K.@count > 3", \Snack.tags) == "count(tags) > 3")
    #expect(try filter("%K > 3", "tags.@count") == "count(tags) > 3")
  }

  @Test("a list of nothing is a list, and an array of bytes is data")
  func emptyLists() throws {
    #expect(try filter("id IN %@", [Int64]()) == "id IN {}")
    #expect(try filter("id IN %@", Set<Int64>()) == "id IN {}")
    #expect(try filter("name IN %@", [String]()) == "name IN {}")
    #expect(try filter("SELF IN %@", [Snack]()) == "id IN {}")
    #expect(try [UInt8]().formatSubstitute() == .value(.data(Data())))
    #expect(try [UInt8]([1, 2]).formatSubstitute() == .value(.data(Data([1, 2]))))
    #expect(try [[Int]]().formatSubstitute() == .value(.array([])))
  }

  @Test("conversions of C's family, and positions")
  func conversions() throws {
    for letters in ["d", "i", "u", "x", "X", "o", "ld", "lu", "lld", "llu", "hd", "qd", "zu"] {
      #expect(try filter("id == %\(letters)", 7) == "id == 7", "\(letters)")
    }
    for letters in ["f", "e", "g", "F", "E", "G", "a", "lf"] {
      #expect(try filter("price == %\(letters)", 7.5) == "price == 7.5", "\(letters)")
    }
    #expect(try filter("name == %s", "a") == "name == \"a\"")
    #expect(try filter("name == %c", "a") == "name == \"a\"")
    #expect(try filter("%2$K == %1$@ OR %2$K == %3$d", 5, "id", 3) == "id == 5 OR id == 3")
  }

  @Test("what is wrong with arguments")
  func faults() {
    func message(_ format: String, _ arguments: (any FormatArgument)?...) -> String {
      do {
        _ = try Filter<Snack>(format: format, arguments: arguments)
        return "nothing thrown"
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message("id == %@").contains("(offset 6): this is argument 1, and 0 arguments are given"))
    #expect(message("id == %@", 1, 2).contains("2 arguments are given, and the format takes 1"))
    #expect(message("id == %d", "a").contains("this argument takes an integer"))
    #expect(message("name == %s", 3).contains("this argument takes a text"))
    #expect(message("%K == 3", 3).contains("%K takes a name or a key path"))
    #expect(message("id == %y", 3).contains("found %, expected one of %@ %K"))
    #expect(message("id == %%", 3).contains("%% has no meaning in a format"))
    #expect(message("%K == 1", \Snack.isSelected).contains("not an attribute of the entity"))
    #expect(message("%K == 1", \Enrolment.seat).contains("the key path belongs to Enrolment"))
    #expect(
      message("SELF == %@", Enrolment(id: .init(classNumber: 1, studentNumber: 2))).contains(
        "not a key of Snack"))
    #expect(message("id == %0$@", 3).contains("count from 1"))
  }

  @Test("composite keys")
  func composite() throws {
    let id = Enrolment.ID(classNumber: 1, studentNumber: 2)
    let filter = try Filter<Enrolment>(format: "SELF == %@", id)
    #expect(filter.formatString == "classNumber == 1 AND studentNumber == 2")
    #expect(
      try Filter<Enrolment>(format: "SELF != %@", Enrolment(id: id)).formatString
        == "NOT (classNumber == 1 AND studentNumber == 2)")
  }

  @Test("variables wait for values by name")
  func variables() throws {
    let filter = try Filter<Snack>(format: "price > $LOW AND (name == $NAME OR taste == $NAME)")
    #expect(filter.variables == ["LOW", "NAME"])
    #expect(filter.formatString == "price > $LOW AND (name == $NAME OR taste == $NAME)")
    #expect(throws: StoreError.self) { try filter.matches(Snack()) }
    let half = try filter.binding(["NAME": "a"])
    #expect(half.variables == ["LOW"])
    let whole = try half.binding(["LOW": 2.5])
    #expect(whole.formatString == "price > 2.5 AND (name == \"a\" OR taste == \"a\")")
    #expect(try whole.matches(Snack("a", price: 3)))
    #expect(fault { _ = try filter.binding(["NAM": 1]) } == "invalidCondition ")
    #expect(
      try Filter<Snack>(format: "id IN $IDS").binding(["IDS": [1, 2]]).formatString
        == "id IN {1, 2}")
  }

  @Test("7.4: a literal in a query carries its error to the first use")
  func literals() throws {
    let query = Snack.all.where("price > %@ AND ANY tags == 'hot'", 1)
    #expect(query.filter.formatString == "price > 1.0 AND \"hot\" IN tags")
    let wrong = Snack.all.where("prize > 1")
    #expect(fault { _ = try wrong.filter.matches(Snack()) } == "unknownAttribute Snack.prize")
    #expect(fault { _ = try Filter<Snack>(format: "prize > 1") } == "unknownAttribute Snack.prize")
  }
}
