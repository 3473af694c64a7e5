internal import FoundationEssentials
public import ORMValues

extension AttributeType {
  /// Returns the fault of a value for an attribute of this type, in words that follow "the value", or
  /// nil when it fits.
  ///
  /// The one check of ranges, kinds and NaN for values that come without a Swift type: dynamic
  /// rows, defaults, assignments.
  public func fault(of value: StoredValue, isOptional: Bool) -> String? {
    switch (self, value) {
    case (_, .null): return isOptional ? nil : "is nil where a value is required"
    case (.bool, .bool), (.string, .string), (.data, .data), (.uuid, .uuid): return nil
    case (.json, .json(let text)):
      return (try? JSONText.validate(text)) == nil ? "is no JSON" : nil
    case (.uint64, .int(let number)): return number < 0 ? "is negative" : nil
    case (.uint64, .uint): return nil
    case (_, .int(let number)):
      guard let range = integerRange else { return "is of another kind" }
      return range.contains(number) ? nil : "is out of the attribute's range"
    case (.float, .double(let number)):
      if number.isNaN { return "is NaN" }
      return Double(Float(number)).bitPattern == number.bitPattern ? nil : "is not a float"
    case (.double, .double(let number)): return number.isNaN ? "is NaN" : nil
    case (.date, .date(let date)):
      return date.timeIntervalSinceReferenceDate.isNaN ? "is NaN" : nil
    case (.decimal, .decimal(let number)): return number.isNaN ? "is NaN" : nil
    case (.array(let element), .array(let values)):
      for value in values {
        if let fault = element.fault(of: value, isOptional: false) {
          return "has an element that " + fault
        }
      }
      return nil
    default: return "is of another kind"
    }
  }
}
