internal import ORMValues

extension Condition: CustomStringConvertible {
  /// The condition as a predicate format that reads back to an equal tree:
  /// `price > 3 AND name BEGINSWITH[c] "a"`.
  ///
  /// Conditions that core makes for stores (related rows, parameters) print for people alone.
  public var description: String {
    StackReserve.run(self) {
      var printer = FormatPrinter(variables: variables)
      printer.write(self, inside: .none)
      return printer.text
    }
  }
}

extension Operand: CustomStringConvertible {
  /// The operand as predicate formats write it; a parameter as `$0`, `$1`, ….
  public var description: String {
    let condition = Condition.compare(self, .equal, .value(.null), [])
    return StackReserve.run(condition) {
      var printer = FormatPrinter(variables: condition.variables)
      printer.write(self)
      return printer.text
    }
  }
}

extension Operand.Path: CustomStringConvertible {
  /// The names, after the variable of their scope where it is not the request's own row.
  public var description: String {
    var printer = FormatPrinter()
    printer.write(self)
    return printer.text
  }
}

extension RelatedRows: CustomStringConvertible {
  /// The steps, as a query language would join them.
  public var description: String {
    steps.map { step in
      let links = step.links.map { "\($0.attribute) == \($0.other)" }
      return "\(step.entity) ON \(links.joined(separator: " AND "))"
    }.joined(separator: " JOIN ")
  }
}
